"""A spoken sentence for the examples of the speech recognition tools."""

import base64
import zlib

from retinue_tools.media._samples import FILE, wav

_RATE = 8000
_PACKED = (
    "eNrtWdlyK7kNrfhaavXCnexFrkz+/y9zDsDeZHnupGqSh1Rjbkm2sYMgFo73F1xwwQUXXHDBBRd4H7xzPiZvXYjO2hD5ewj84E+v1OGFmSAM9d"
    "PXv7iVmj9VOeHMV3k2qeG7aSLL+2+GuG+GBO+q2uA3o042qaajMjEgxODsWZ54L9xhlxODWqLyRXDQ39RAJ7+LoUoZ1OhKEnxYjavf/HTyu8i2"
    "B8sqAb7i+RCEwh5Dt+lQ8dHvklYph+896jEGC7dT9ZLoam+VGxCYDRTtECgLqL+ElBNoonxRLr0wxloz9P1gzGBcGseMv+dpnrNkGLQOAym6tu"
    "tABFSBzbHM84j0o0gPRugZ2sej7QebprkE6+K0zCXyuFIK0GKs6dtHCxl+XJZse5Pm55yccTHnCCW0o388Ht3gyvIcXd/76etZvIFOGGX63ng3"
    "PO5NO9g8L1MYeleezyla41POsLOHGaZrmkdvqD0ddIRc8CV29o+m6dQIp8YUeiqOGEroxRFLI0Lf2byIDhdLFWERC5hp0gTEQF1PDVaGCIs4Gi"
    "FoByKS6YcwPanDqh8DIw0dzWNI8xckdEOcv9SIXOgHoBcJ8BM2DD2/RUWEGwi34uFnGJeZocT3MqIQhBqIHnja6PM8Fz8goggYDhZ1I0XYKOLh"
    "pOKNcQyonCsOCxEQ7fAg5HnKbhg8gkH+AHbK71S8zdNSIhyKsGNMTC2IJzuAARiXCacA9dMyZqZeVHYwNy0CCDSk2zTOgmYKw7oOJ9R0Lk8TUo"
    "xJWaaxSOYquuURu4zzkKqXELUcBRQN2YNPKcl1R8hKkbyX4gbjug4y5W543oUyEg/DQSLsTHTcB4tglHGcYIXy47LANASGSWypV7GKFmxb0YYn"
    "UUbcopV7tfuhzFGxM7AlbU6T+YwFM8vdN+w8LyIa4ZaErVjRC9ZlmUXvFk3qVVYiBXtihclwqGysihStmz9iEpAU6yTHBTnsyKrT1QtARo3itE"
    "WRyF6RgyIRY9SSIio19Vrxs4ZwqkHwimvoJfkykASR6jaVKvSIY42DJw8UMMOKVpHEradGP4YzLul5k3HHAYlkSpvQFtZ0VhWSEYlEmX4tER3y"
    "bMWNWYzZGLsOuZtWxnxkbLp2ICNiUzXGuDHCD7MiBXs0B0gU+1Q5x3IIQOXkvchUKreietkiM1edQOaDm47hucFNtg+am1dWEYyjvN8h10tpEN"
    "a8YZl6twaOoq5EYDOxyK0Ne78hRdgEAYItK9Yi8LcbAqhFIRBbFMswEXvvOitYtKskRqlDTAUY1bZWO2FgAjJSVbJciPYxIGs4O+mZkzdHX5Me"
    "t5iNPEYpqBLJxMSuFaC5t5SM6lPRYNZbbNjBms8GSgPyGZbBaN4YJAYarrTR5vNjABoTHNtoFa4FxhrWiI9PExKUo3rB6Sz8qPts11Df3D9/dT"
    "4h3ugHEm7Bo37CZFa3x/0DCiAAdcPLUYoBYxELUNna2z8+hlQ4O1g2fNpADTRRqvfj9vnRhRwcRBhfkLllKnL2MDu6vkWIPn71aWTxxQzAc8lT"
    "lvNPgRWeVeXXR58mhghyRmATlOAoMss4in7b3G8fDQ4WgcKpSV5IGUcsglRi+nr71aAsRUmoPGqdxn/8Fe6hlOAwbncOABJD5n2OtEFaDdJXpg"
    "6kYcv0laxmt0hxBdJo7WBPkeGI10NzWCnkAg21uGsp1AukctJOo32z3cr/VK8gCXTWGmpj1vay17faflST9M+HVtaY814+00rDga2TLlvLrzaq"
    "E5E9EK11eCXKlWgTpV3PuBPVapPIkqGiY2uUalg1jmtv5MC5khE4z+0F9UzFaXAQ4MBV27AEXS2rVEJXQaZYLwNGFqgBkz5u6YfdBl0dmuN+xG"
    "Gbl9n0N/DuMKTLNKwFoy4I/khy3nB0LRGalfDN2hX25efwGbx/uzu5fTc487034ETgfpCJHeMs5mRVeLtZ+m0fOvx5VxLeGXPYs3a1vzf7z7fc"
    "/wzcb//wF5frC/42cH8z3Z+clN5tLQFSTbRFrE2A+y0qODaqEYsUGgS6C7vSKMMjt761evfp+TVqL8bGx8kzygOLk6Kli5V//uvJQaPjjjJmUQ"
    "LApkch3JJd+XpmvjBwqJbJQWoCViHRQ2PC848RKyFGV6hJ+AxcEKPpsYGyBUBW+PqjYLpEG0fnwp1Cc3bonTTXcVTusbiN/5ztwLcEkEQQs6Un"
    "JwsORizqs+k5R+4r3B6jvu6wz5u1YkNcfC7R8BioyLIyBFnaWVexUvcgjF9PkMBetPtgPCen6KXuoh9w9TY2Ll8ZJJ6K+ALAfdRLcAdu/1ydPR"
    "ZGeYhBx2a95WuO15Yg1R6yYO/EqY7bSqoPWwiO8wbjNJdjiInLEilbtrz6CsOiI4q4X+P0pgUDSZA1IvClTEZF5oI8Z7D32HHBYEQUx5YoL0SQ"
    "EsQpnjY+4sTpQ5OKG4qXJx7v5dmEZzn0bhoRNkjxYZ3xpZvUp5WBGRE5pyFswSduuvqGFCT1RAwHbIzWc+GxhVKXGn3JgTcwZ2Cvh7vTKC9VHH"
    "g4C8ftFYdZAxo4MU6gQ0ZFzk2c2fjYZG3t9VhncLp0KzL6kWNT0hyuRJgGHoOjpUnGVh9k5Kqzdz0ojhZcJ4pObbQkCI0OQ6KMrssOVLhVRM7T"
    "mFI3fTLsyPjRd5a5h9mDw6CT2RvnhuFKNJpt+ICzhRuGYJiDm9ITGSa5WLYlRpaAWMncOqRITTCc/8ep1FVRn/pkqNOoSt0wOlkIhlFfxw/vjr"
    "BOFi8Ppwd4rVcv8IbjxPlK+L96bl57uvPubYMMfp+w1gliM1VCVodSd3yMdE7fHjWyziPn+QyQo0TdyPQot585aeUuxPqwyTLHaihpiXuCK2L1"
    "SVhvuNLLJsslSF71dL6rQ8/Lu7bzdf6rp+jXkFcXvMhFjch8QnOsUXJ7gzyvsiKoZeuz9ya0joEq1h4DQ5wyhRG7k66trI8aJsZFKHQmk9fusI"
    "r96fy3zAjv5xjWR+c1eFTMxSomjac+vfEBQj32mztuf4L/XeJJDL+3Zbk5NY0PpklE5FwYR4daYqX6SlHSbXctk0Gn/CqmWlaNdKs/NQF9Pb1t"
    "lA8rxq1BPNr07f+UbFP/ltK/nRFr1u/iX0Ki9u5/dj9Fzx8SZ7NOza9e7gpeD/nszHZ4P2fLD7c9vEmrYxS2THyNwE4VWL5rZzor+q/Vr6BlaP"
    "/n96hv/855urIcD/E3trm3al9J3Pkn5190vbueb1bN82lci8kFF1xwwQUXXHDBBRdc8P8M/wYbJiA2"
)
"""Samples of five bits, with 16 for none, packed by DEFLATE: Call me on Friday, spoken by the voice of Hibari."""

_LEVELS = zlib.decompress(base64.b64decode(_PACKED))
SAID = {FILE: wav(lambda time: (_LEVELS[round(time * _RATE)] - 16) / 16, len(_LEVELS) / _RATE, _RATE)}
"""Call me on Friday."""
