"""Writes marks for other systems and reads them back strictly."""

import csv
import io
import json

from dense_cli.errors import DenseError
from dense_cli.grading.export import export
from dense_cli.grading.export.gradebook import Gradebook
from dense_cli.grading.intake.roster import roster
from dense_cli.grading.marks.marked import Marked
from dense_cli.grading.marks.telling import Teller
from tests.grading.marked import MARKER, SET

HOSTILE = 'O\'Neil, "Ann"\nII'
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Homework 25 (77),Final Score\n"
    "    Points Possible,,,,,24.00,(read only)\n"
    '"Zhang, San",101,s01,zs@x.example,A,,\n'
    '"Li, Si",102,s02,ls@x.example,A,3,\n'
    '"Wang, Wu",103,s03,ww@x.example,A,,\n'
    '"Student, Test",999,,,A,,\n'
)


def strict(text):
    def none(name):
        raise ValueError(name)

    return json.loads(text, parse_constant=none)


def marked(name, sheet, **more):
    return Marked(name, "a.csv", MARKER.sheet(sheet), **more)


def unread(name="s09"):
    return Marked(name, "s09.toml", error=DenseError("broken-toml", source="s09.toml", reason="x"))


def written(to, *students, language="en", members=None, column=None):
    book = Gradebook(students, Teller(SET, language), members and roster(members, "list.csv"), column)
    return export(to, book)[0]


def cautions(to, *students, members=None, column=None):
    book = Gradebook(students, Teller(SET, "en"), members and roster(members, "list.csv"), column)
    return [one.key for one in export(to, book)[1]]


def rows(text):
    assert "\r" not in text
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


HALF = {"4.output": "[1.462117, 5]", "5.hidden": "64", "6.test": "swap"}
