"""The second factor: setting it up, signing in with it, and single-use recovery codes."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from retinue.auth import second_factor, totp
from retinue.auth.client_info import ClientInfo
from retinue.auth.second_factor import RECOVERY_CODES, new_recovery_codes
from retinue.auth.sessions.tokens import NewSession
from retinue.core.database.interface import Tx
from retinue.core.errors import AuthRequired, RateLimited
from tests.auth.conftest import CLIENT, Site
from tests.auth.signing_in import PASSWORD, give_password, post_sign_in, sign_in
from tests.conftest import User
from tests.support.client import Client, data, refuse

EMAIL = "ada@example.com"
WRONG = "The e-mail address, the password or the code is wrong."


def present_code(secret: str, later: int = 0) -> str:
    """Return the code of the current time step, or of the one `later` steps after it."""
    return totp.code_at(secret, int(datetime.now(UTC).timestamp()) // totp.STEP_S + later)


def set_up(session: Client) -> tuple[str, list[str]]:
    """Enable the second factor. Returns its secret and the recovery codes."""
    secret = data(session.post("/account/totp", {"password": PASSWORD}), 201)["secret"]
    codes = data(session.post("/account/totp/confirm", {"code": present_code(secret, -1)}))["recovery_codes"]
    return secret, codes


@pytest.fixture
def session(user: User) -> Client:
    """A session of a user with a password."""
    return give_password(user.server, user.email)


def test_it_is_in_force_once_a_code_has_proven_it(user: User, session: Client) -> None:
    refuse(session.post("/account/totp/confirm", {"code": "123456"}), 400, "is waiting for confirmation")
    secret = data(session.post("/account/totp", {"password": PASSWORD}), 201)["secret"]
    assert not data(session.get("/account"))["second_factor"]
    wrong = next(code for code in ("000000", "111111", "222222", "333333") if code not in near(secret))
    refuse(session.post("/account/totp/confirm", {"code": wrong}), 400, "code is wrong")
    sign_in(user.server, user.email).close()
    codes = data(session.post("/account/totp/confirm", {"code": present_code(secret)}))["recovery_codes"]
    assert len(set(codes)) == RECOVERY_CODES
    account = data(session.get("/account"))
    assert (account["second_factor"], account["recovery_codes_left"]) == (True, RECOVERY_CODES)
    refuse(session.post("/account/totp", {"password": PASSWORD}), 400, "already")
    session.close()


def test_only_a_wrong_code_is_a_failed_sign_in(user: User, session: Client) -> None:
    secret, _ = set_up(session)
    right = {"email": user.email, "password": PASSWORD}
    refuse(post_sign_in(user.server, "/auth.php", right), 401, "second factor")
    wrong = next(code for code in ("000000", "111111", "222222", "333333") if code not in near(secret))
    link = user.server.ask("users.link", email=user.email)
    refuse(post_sign_in(user.server, "/auth/link", {"token": link, "code": wrong}), 401, WRONG)
    sign_in(user.server, user.email, code=present_code(secret)).close()
    outcomes = [entry["action"] for entry in data(session.get("/audit")) if entry["action"] != "sign_in.link_created"]
    assert outcomes[:2] == ["sign_in.succeeded", "sign_in.failed"]
    assert outcomes.count("sign_in.failed") == 1
    session.close()


def near(secret: str) -> set[str]:
    """Return the codes of the time steps around the current one."""
    return {present_code(secret, step) for step in range(-3, 4)}


def test_signing_in_takes_a_code(user: User, session: Client) -> None:
    secret, codes = set_up(session)
    server, right = user.server, {"email": user.email, "password": PASSWORD}
    refuse(post_sign_in(server, "/auth.php", right), 401, "second factor")
    refuse(post_sign_in(server, "/auth.php", {**right, "code": ""}), 401, "second factor")
    refuse(post_sign_in(server, "/auth.php", {**right, "code": "abcdef"}), 401, WRONG)
    refuse(post_sign_in(server, "/auth.php", {"email": user.email, "password": "wrong password"}), 401, WRONG)
    code = present_code(secret)
    sign_in(server, user.email, code=code).close()
    refuse(post_sign_in(server, "/auth.php", {**right, "code": code}), 401, WRONG)
    sign_in(server, user.email, code=f" {codes[0].upper().replace('-', ' ')} ").close()
    refuse(post_sign_in(server, "/auth.php", {**right, "code": codes[0]}), 401, WRONG)
    assert data(session.get("/account"))["recovery_codes_left"] == RECOVERY_CODES - 1
    session.close()


def test_a_link_takes_a_code_as_well(user: User, session: Client) -> None:
    _, codes = set_up(session)
    link = {"token": user.server.ask("users.link", email=user.email)}
    refuse(post_sign_in(user.server, "/auth/link", link), 401, "second factor")
    refuse(post_sign_in(user.server, "/auth/link", {**link, "code": "abcdef"}), 401, WRONG)
    data(post_sign_in(user.server, "/auth/link", {**link, "code": codes[0]}))
    lost = user.server.ask("users.reset", email=user.email, second_factor=True)
    data(post_sign_in(user.server, "/auth/link", {"token": lost, "password": PASSWORD}))
    sign_in(user.server, user.email).close()
    session.close()


def test_a_recovery_code_signs_in_once_however_many_try(user: User, session: Client) -> None:
    _, codes = set_up(session)
    body = {"email": user.email, "password": PASSWORD, "code": codes[0]}
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: post_sign_in(user.server, "/auth.php", body), range(8)))
    statuses = [answer.status_code for answer in answers]
    assert statuses.count(200) == 1
    assert set(statuses) <= {200, 401, 429}
    session.close()


def test_codes_are_renewed_and_the_factor_is_removed_with_both_factors(user: User, session: Client) -> None:
    secret, codes = set_up(session)
    both = {"password": PASSWORD, "code": present_code(secret)}
    for path in ("/account/totp/recovery-codes", "/account/totp/disable"):
        refuse(session.post(path, {**both, "password": "wrong password"}), 400, "password is wrong")
        refuse(session.post(path, {"code": both["code"]}), 400, "password is missing")
        refuse(session.post(path, {**both, "code": "abcdef"}), 400, "code is wrong")
        refuse(session.post(path, {"password": PASSWORD}), 400, "code")
    renewed = data(session.post("/account/totp/recovery-codes", both))["recovery_codes"]
    assert not set(renewed) & set(codes)
    body = {"email": user.email, "password": PASSWORD}
    refuse(post_sign_in(user.server, "/auth.php", {**body, "code": codes[0]}), 401, WRONG)
    sign_in(user.server, user.email, code=renewed[0]).close()
    account = data(session.post("/account/totp/disable", {"password": PASSWORD, "code": renewed[1]}))
    assert (account["second_factor"], account["recovery_codes_left"]) == (False, 0)
    sign_in(user.server, user.email).close()
    refuse(session.post("/account/totp/disable", {"password": PASSWORD, "code": renewed[2]}), 400, "not set up")
    session.close()


async def enabled(site: Site) -> tuple[str, list[str]]:
    """Create a user with a password and a second factor. Returns its secret and the recovery codes."""
    user = await site.users.create(EMAIL, password_hash=await site.passwords.hash(PASSWORD, EMAIL, CLIENT.address))
    secret, codes = totp.new_secret(), new_recovery_codes()
    sealed = site.vault.seal(secret, second_factor.secret_owner(user.id))

    async def enable(tx: Tx) -> None:
        await second_factor.enable(tx, user.id, sealed, 0, codes)

    await site.database.transact(enable)
    return secret, codes


async def test_a_code_is_accepted_once_even_at_the_same_moment(site: Site) -> None:
    secret, codes = await enabled(site)
    step = int(site.clock().timestamp()) // totp.STEP_S
    for code in (totp.code_at(secret, step), codes[3]):
        attempts = [site.sign_in.with_password(EMAIL, PASSWORD, code, CLIENT) for _ in range(5)]
        outcomes = await asyncio.gather(*attempts, return_exceptions=True)
        assert sum(isinstance(outcome, NewSession) for outcome in outcomes) == 1, outcomes
        assert sum(isinstance(outcome, AuthRequired | RateLimited) for outcome in outcomes) == 4, outcomes
    site.passwords.close()


async def test_an_older_code_is_refused_after_a_newer_one(site: Site) -> None:
    secret, _ = await enabled(site)
    step = int(site.clock().timestamp()) // totp.STEP_S
    await site.sign_in.with_password(EMAIL, PASSWORD, totp.code_at(secret, step), CLIENT)
    for used in (step, step - 1):
        with pytest.raises(AuthRequired):
            await site.sign_in.with_password(EMAIL, PASSWORD, totp.code_at(secret, used), CLIENT)
    await site.sign_in.with_password(EMAIL, PASSWORD, totp.code_at(secret, step + 1), CLIENT)
    site.passwords.close()


async def test_neither_secrets_nor_codes_are_readable_in_the_database(site: Site) -> None:
    secret, codes = await enabled(site)
    user = (await site.users.all())[0]
    assert user.totp_secret
    assert secret not in user.totp_secret
    assert site.vault.open_sealed(user.totp_secret, second_factor.secret_owner(user.id)) == secret
    assert codes[0] not in repr(user)


async def test_codes_are_not_guessed_with_the_password_at_a_known_address(site: Site) -> None:
    secret, codes = await enabled(site)
    await site.sign_in.with_password(EMAIL, PASSWORD, codes[0], CLIENT)
    refusals = []
    for _ in range(8):
        with pytest.raises((AuthRequired, RateLimited)) as refusal:
            await site.sign_in.with_password(EMAIL, PASSWORD, "abcdef", CLIENT)
        refusals.append(refusal.value.status)
    assert refusals == [401] * 5 + [429] * 3
    elsewhere = ClientInfo("203.0.113.9")
    code = totp.code_at(secret, int(site.clock().timestamp()) // totp.STEP_S)
    await site.sign_in.with_password(EMAIL, PASSWORD, code, elsewhere)
    site.passwords.close()
