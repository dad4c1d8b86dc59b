"""What tools/mutate.py knows of the promises in tests/mutations: where each lies, and whether its test exists."""
