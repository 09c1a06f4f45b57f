"""Which folders stand for which repositories: `[repositories]` of syncline.toml, and what a sandbox was told."""

import pathlib

import pytest

from syncline.adapters import repository_map
from syncline.model.errors import InvalidSpec
from syncline.model.sources import repository_urls

URL = "https://git.example/team/shop"


@pytest.fixture
def checkout(tmp_path: pathlib.Path) -> pathlib.Path:
    for name in ("work", "shop"):
        (tmp_path / name / ".git").mkdir(parents=True)
    (tmp_path / "work" / "deep" / "down").mkdir(parents=True)
    (tmp_path / "syncline.toml").write_text(f'[repositories]\n"{URL}" = "work"\n')
    return tmp_path / "work"


def test_the_nearest_file_up_to_the_root_of_the_checkout_counts(checkout: pathlib.Path) -> None:
    assert repository_map.configured(checkout / "deep/down") == {}
    (checkout / "syncline.toml").write_text(f'[repositories]\n"{URL}" = "../shop"\n')
    (checkout / "deep/syncline.toml").write_text('[tools]\nhelm = "4"\n')
    assert repository_map.configured(checkout / "deep/down") == {URL: str(checkout.parent / "shop")}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("repositories = 1\n", "[repositories] has to map addresses to folders"),
        (f'[repositories]\n"{URL}" = 1\n', "[repositories] has to map addresses to folders"),
        (f'[repositories]\n"{URL}" = "../gone"\n', "gone is not a Git repository"),
        ("[repositories\n", "this file cannot be read as TOML"),
    ],
)
def test_a_file_that_makes_no_sense_is_one_sentence_with_its_place(
    checkout: pathlib.Path, text: str, words: str
) -> None:
    (checkout / "syncline.toml").write_text(text)
    with pytest.raises(InvalidSpec) as caught:
        repository_map.configured(checkout)
    assert str(caught.value).startswith(f"{checkout}/syncline.toml: ")
    assert words in str(caught.value)


def test_what_a_sandbox_was_told_counts_for_its_own_address(tmp_path: pathlib.Path) -> None:
    repository_map.keep(tmp_path / "data", "http://127.0.0.1:1", {URL: "/srv/shop"})
    kubeconfig = str(tmp_path / "data/kubeconfig")
    assert repository_map.kept([kubeconfig], "http://127.0.0.1:1") == {URL: "/srv/shop"}
    assert repository_map.kept([kubeconfig], "http://127.0.0.1:1/access/token") == {URL: "/srv/shop"}
    assert repository_map.kept([kubeconfig], "http://127.0.0.1:12") is None
    assert repository_map.kept([kubeconfig], "https://10.0.0.1:6443") is None
    assert repository_map.kept([str(tmp_path / "kubeconfig")], "http://127.0.0.1:1") is None


def test_no_login_of_an_address_is_kept_and_only_the_owner_reads_the_file(tmp_path: pathlib.Path) -> None:
    repository_map.keep(tmp_path, "http://127.0.0.1:1", {"https://ada:hunter2@git.example/team/shop": "/srv/shop"})
    file = tmp_path / "repositories.json"
    assert "hunter2" not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0
    (url,) = repository_map.kept([str(tmp_path / "kubeconfig")], "http://127.0.0.1:1") or {}
    assert repository_urls.spelling(url) == repository_urls.spelling(URL)
