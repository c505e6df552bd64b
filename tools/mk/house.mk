# The rules of docs/house.md that a program can check, and that this program can tell.

TESTS += house house-self-test
.PHONY: house house-self-test

house:
	@tools/house

house-self-test:
	@tools/house --self-test

TESTS += run-tests-test
.PHONY: run-tests-test
run-tests-test:
	@tools/run_tests_test
