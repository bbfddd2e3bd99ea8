"""How other systems head the columns of their tables, in the languages that they write in.

Every name is folded (`folded_header`); sites translate their headers, so patterns stand beside names.
"""

from __future__ import annotations

import re

ID_NUMBER = ("id number", "学号", "编号", "身份编号", "學號")
EMAIL = (
    "email address",
    "email",
    "e-mail address",
    "电子邮件地址",
    "电子邮件",
    "邮箱",
    "电子邮箱",
    "電子郵件位址",
)
USERNAME = ("username", "user name", "用户名", "使用者名稱")
LAST_NAME = ("last name", "surname", "姓", "姓氏")
FIRST_NAME = ("first name", "名", "名字")
TIMESTAMP = ("timestamp", "时间戳记", "时间戳", "時間戳記")

IDENTITIES = (
    ("id",), ("sis user id",), ("sis login id",), ID_NUMBER, ("student id",), USERNAME, EMAIL,
    ("student", "学生"), ("name", "姓名", "名称"),
)  # fmt: skip
"""What a class list may call the columns that tell students apart, the surest first."""

RESPONSE = re.compile(r"(?:response|answer|回答|作答|答案|回应|响应|應答|回應)\s*([0-9]{1,4}[a-z]?)")
"""A column of answers in Moodle's table of responses, with the number of the question."""

MOODLE_OTHERS = re.compile(
    r"institution|department|state|status|started(?: on)?|completed|time taken"
    r"|(?:question|right answer) [0-9]+[a-z]?"
    r"|(?:grade|feedback|成绩|反馈|評分)\b.*|机构|院系|部门|状态|开始时间|开始于|完成|完成时间|耗时|花費時間|用时"
    r"|(?:试题|题目|正确答案)\s*[0-9]+[a-z]?"
)
"""The other columns of that table."""

FORM_OTHERS = ("score", "分数", "得分", "分數")
"""Columns of a form's table that hold no answer, beside who and when."""

CANVAS_QUESTION = re.compile(r"([0-9]{1,20}): ?(.*)", re.DOTALL)
"""A question in Canvas's student analysis: its number and its text."""

CANVAS_COUNTS = ("n correct", "n incorrect")
"""What ends Canvas's student analysis; a column headed by nothing but points stands behind each question."""


def folded_header(text: str) -> str:
    """A header without regard to case and blanks.

    >>> folded_header("  Email  Address ")
    'email address'
    """
    return " ".join(text.replace("\ufeff", "").split()).casefold()
