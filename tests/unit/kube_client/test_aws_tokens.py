"""Tokens for EKS: the signature is that of AWS's published example, the token what `aws eks get-token` prints."""

import base64
import pathlib
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from syncline.adapters.kube import aws
from syncline.ports.transport import TransportError

# The example of "Authenticating Requests: Using Query Parameters (AWS Signature Version 4)" in AWS's documentation.
EXAMPLE = aws.AwsKeys("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")


def test_the_signature_is_that_of_the_published_example() -> None:
    scope = aws.SignedScope(region="us-east-1", service="s3", seconds=86400, payload="UNSIGNED-PAYLOAD")
    now = datetime(2013, 5, 24, tzinfo=UTC)
    url = aws.presigned(("examplebucket.s3.amazonaws.com", "/test.txt"), {}, {}, EXAMPLE, now, scope)
    assert url.endswith("&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")


def test_a_token_is_a_signed_question_who_the_caller_is() -> None:
    token = aws.eks_token("east", "eu-west-1", EXAMPLE, datetime(2026, 3, 1, 8, 0, tzinfo=UTC))
    prefix, _, body = token.partition(".")
    assert (prefix, "=" in body) == ("k8s-aws-v1", False)
    url = urlsplit(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)).decode())
    assert (url.scheme, url.netloc, url.path) == ("https", "sts.eu-west-1.amazonaws.com", "/")
    asked = {name: values[0] for name, values in parse_qs(url.query).items()}
    assert asked | {"X-Amz-Signature": ""} == {
        "Action": "GetCallerIdentity",
        "Version": "2011-06-15",
        "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
        "X-Amz-Credential": "AKIAIOSFODNN7EXAMPLE/20260301/eu-west-1/sts/aws4_request",
        "X-Amz-Date": "20260301T080000Z",
        "X-Amz-Expires": "60",
        "X-Amz-SignedHeaders": "host;x-k8s-aws-id",
        "X-Amz-Signature": "",
    }


def test_keys_come_from_the_environment_or_from_a_profile(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "credentials"
    file.write_text(
        "[default]\naws_access_key_id = A\naws_secret_access_key = a\n\n[ops]\n"
        "aws_access_key_id = B\naws_secret_access_key = b\naws_session_token = t\n"
    )
    shared = {"AWS_SHARED_CREDENTIALS_FILE": str(file)}
    given = {"AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "e", **shared}
    assert aws.find_keys("", given) == aws.AwsKeys("E", "e")
    assert aws.find_keys("ops", given) == aws.AwsKeys("B", "b", "t")
    assert aws.find_keys("", shared) == aws.AwsKeys("A", "a")
    with pytest.raises(TransportError, match="there are no AWS keys"):
        aws.find_keys("nobody", shared)


def test_the_region_is_that_of_the_address_else_of_the_environment() -> None:
    server = "https://ABC.gr7.eu-central-1.eks.amazonaws.com"
    assert aws.region_of(server, {"AWS_REGION": "us-west-2"}) == "eu-central-1"
    assert aws.region_of("https://10.0.0.1", {"AWS_REGION": "us-west-2"}) == "us-west-2"
    assert aws.region_of("https://10.0.0.1", {}) == "us-east-1"
