#!/usr/bin/env bats
# The sources keep to .clang-format and .clang-tidy, the scripts to shellcheck.

setup() {
    cd "$BATS_TEST_DIRNAME/.."
}

@test "clang-format has nothing to change" {
    tests/lint format
}

@test "clang-tidy finds nothing" {
    tests/lint tidy
}

@test "shellcheck finds nothing, and no check that cannot fail" {
    tests/lint shell
}
