"""What the commands of a checkout say and install."""

import re
import subprocess
import sys


def said(*command, cwd):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=True).stdout


def test_the_demo_installs_jax_and_not_torch(checkout):
    asked = {
        extra: set(re.findall(r"^[\w-]+", said(sys.executable, "ci/requirements.py", extra, cwd=checkout), re.M))
        for extra in ("demo", "test")
    }
    assert {"jax", "scikit-learn"} <= asked["demo"]
    assert not {"torch", "torchvision", "nvidia-dali-cuda130"} & asked["demo"]
    assert asked["demo"] | {"torch", "torchvision"} <= asked["test"]


def test_extras_bring_the_framework_that_they_are_called_after(checkout):
    for extra, others in (("jax", {"torch"}), ("torch", {"jax"})):
        asked = said(sys.executable, "ci/requirements.py", extra, cwd=checkout)
        packages = set(re.findall(r"^[\w-]+", asked, re.M))
        assert extra in packages
        assert not others & packages


def test_make_demo_takes_a_folder_of_mnist(checkout):
    assert "penstock.demo \n" in said("make", "-n", "demo", cwd=checkout)
    assert 'penstock.demo --mnist "my digits"\n' in said("make", "-n", "demo", "MNIST=my digits", cwd=checkout)


def test_make_help_lists_every_target(checkout):
    targets = re.search(r"^\.PHONY: (.*)$", (checkout / "Makefile").read_text(), re.M)[1].split()
    assert {"demo", "test", "help"} <= set(targets)
    assert re.findall(r"^  make ([\w-]+) +\w", said("make", "help", cwd=checkout), re.M) == targets
    assert said("make", cwd=checkout) == said("make", "help", cwd=checkout)
