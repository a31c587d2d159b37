"""Routes for signing in, under `/api`: outside the versioned API, and without a credential."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from retinue.auth.client_info import ClientInfo
from retinue.auth.services import shared_service
from retinue.auth.sign_in.mail import ResetMail
from retinue.auth.sign_in.schemas import Accepted, Credentials, LinkUse, ResetRequest, SessionTokenView, SignUp
from retinue.auth.sign_in.service import SignIn
from retinue.core.http.envelope import Data, Envelope, json_response, one
from retinue.core.http.operations import Api

_sign_in = shared_service(SignIn)


_mail = shared_service(ResetMail)


async def client_info(request: Request) -> ClientInfo:
    """Return the address and the client of a request."""
    info: ClientInfo = request.app.state.client_info(request.scope)
    return info


SigningIn = Annotated[SignIn, Depends(_sign_in)]
Mail = Annotated[ResetMail, Depends(_mail)]
Client = Annotated[ClientInfo, Depends(client_info)]

api = Api("sign-in", base="/api")


@api.post("/auth.php", "", response_model=Data[SessionTokenView], hands_out_secret=True)
async def sign_in(body: Credentials, service: SigningIn, client: Client) -> Envelope:
    """Sign in with an e-mail address and a password.

    The token expires 30 days after its last use. A wrong password and an unknown user return the same error after the
    same time.
    """
    return one(await service.with_password(body.email, body.password, body.code, client))


@api.post("/auth/link", "", response_model=Data[SessionTokenView], hands_out_secret=True)
async def use_link(body: LinkUse, service: SigningIn, client: Client) -> Envelope:
    """Sign in with a one-time link, and optionally set a password.

    Links for password resets require a new password. By default, such a reset also revokes your API keys and connected
    apps and disables your webhooks.
    """
    return one(await service.with_link(body.token, body.password, body.code, client, body.revoke_access))


_ACCEPTED: dict[int | str, dict[str, object]] = {
    202: {"model": Data[Accepted], "description": "The server has sent a link that sets the password."}
}


@api.post("/auth/sign-up", "", 201, response_model=Data[SessionTokenView], hands_out_secret=True, responses=_ACCEPTED)
async def sign_up(body: SignUp, service: SigningIn, client: Client) -> Envelope | Response:
    """Create a user and sign in, if the operator allows sign-up.

    If the server can send mail, it confirms the address first: the response is 202, and the user sets the password with
    the link that is mailed to the address. The response does not reveal whether the user exists already.
    """
    if session := await service.sign_up(body.email, body.password, client):
        return one(session)
    return json_response(Data[Accepted], {"accepted": True}, 202)


@api.post("/auth/reset", "", 202, response_model=Data[Accepted])
async def request_reset(body: ResetRequest, mail: Mail, client: Client) -> Envelope:
    """Request an e-mail with a link to reset the password.

    The response does not reveal whether the user exists or the server can send mail.
    """
    mail.request(body.email, client.address)
    return one({"accepted": True})
