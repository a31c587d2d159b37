"""HTTP of signing in, under `/api`: beside the versioned API, and without a credential."""

from typing import Annotated, Any

from fastapi import Depends, Request

from retinue.auth.client_info import ClientInfo
from retinue.auth.services import shared_service
from retinue.auth.sign_in.mail import ResetMail
from retinue.auth.sign_in.schemas import Accepted, Credentials, LinkUse, ResetRequest, SessionTokenView, SignUp
from retinue.auth.sign_in.service import SignIn
from retinue.core.envelope import Data, one
from retinue.core.operations import Api

_sign_in = shared_service(SignIn)


_mail = shared_service(ResetMail)


async def client_info(request: Request) -> ClientInfo:
    """Where a request comes from."""
    info: ClientInfo = request.app.state.client_info(request.scope)
    return info


SigningIn = Annotated[SignIn, Depends(_sign_in)]
Mail = Annotated[ResetMail, Depends(_mail)]
Client = Annotated[ClientInfo, Depends(client_info)]

api = Api("sign-in", base="/api")


@api.post("/auth.php", "", response_model=Data[SessionTokenView], hands_out_secret=True)
async def sign_in(body: Credentials, service: SigningIn, client: Client) -> Any:
    """Sign in with an e-mail address and a password. The token ends 30 days after its last use.

    A wrong password and an unknown user get the same answer after the same time.
    """
    return one(await service.with_password(body.email, body.password, body.code, client))


@api.post("/auth/link", "", response_model=Data[SessionTokenView], hands_out_secret=True)
async def use_link(body: LinkUse, service: SigningIn, client: Client) -> Any:
    """Sign in by a one-time link, and set a password if you like. A reset link needs a new password."""
    return one(await service.with_link(body.token, body.password, body.code, client))


@api.post("/auth/sign-up", "", 201, response_model=Data[SessionTokenView], hands_out_secret=True)
async def sign_up(body: SignUp, service: SigningIn, client: Client) -> Any:
    """Make a user of your own and sign in, where the operator has opened sign-up."""
    return one(await service.sign_up(body.email, body.password, client))


@api.post("/auth/reset", "", 202, response_model=Data[Accepted])
async def request_reset(body: ResetRequest, mail: Mail, client: Client) -> Any:
    """Ask for a link that resets the password, by mail.

    The answer is the same whether there is such a user, and whether the server can send mail.
    """
    mail.request(body.email, client.address)
    return one({"accepted": True})
