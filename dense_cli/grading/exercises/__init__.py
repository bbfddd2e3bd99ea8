"""What is asked: exercises read from their files, their calculations, numbers drawn for them."""
