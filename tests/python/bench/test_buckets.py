"""The comparison with curl: both read every file of the server."""

import shutil

import pytest

from penstock.bench import buckets


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_both_read_what_the_server_has(capsys):
    assert buckets.main(["--pairs", "1", "--latency", "0.001", "--sizes", "2000", "--bytes", "40000"]) == 0
    assert "| 2 KB |" in capsys.readouterr().out


def test_a_server_answers_late_with_all_of_a_file():
    with buckets.serving(3000, 0.05) as address:
        assert buckets.penstock_seconds([f"{address}/{i}" for i in range(3)]) >= 0.05
