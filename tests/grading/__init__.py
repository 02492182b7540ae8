"""The grader's parts. tests/grade and tests/grade-class are the commands."""
