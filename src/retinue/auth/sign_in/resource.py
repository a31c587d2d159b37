"""Sign-in, sign-up and password reset."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from retinue.auth.services import Services
from retinue.auth.sign_in.links import remove_links
from retinue.auth.sign_in.mail import ResetMail
from retinue.auth.sign_in.router import api
from retinue.auth.sign_in.service import SignIn
from retinue.core.work.retention import RetentionRule
from retinue.platform.resource_declaration import BackgroundWork, Resource

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    services.share(SignIn, platform.sign_in)
    services.share(ResetMail, platform.reset_mail)


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    yield BackgroundWork(run=platform.reset_mail.run)


resource = Resource(
    name="sign_in",
    apis=(api,),
    provide=_provide,
    work=_work,
    retention=lambda settings: [RetentionRule("sign-in links", timedelta(days=1), remove_links)],
)
