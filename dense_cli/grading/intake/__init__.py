"""Who handed in what: sheets, tables, folders, class lists, and a person's marks beside them."""
