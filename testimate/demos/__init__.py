"""The subjects that come with the program: handwritten digits, printed letters, questions and answers, a harbor, a road."""
