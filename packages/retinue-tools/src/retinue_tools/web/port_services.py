"""Services and their ports, as registered by IANA and by convention."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_TABLE = """
20 tcp ftp-data|data of FTP
21 tcp ftp|File Transfer Protocol, control
22 tcp ssh, sftp, scp, rsync over ssh, git over ssh|Secure Shell and file transfer over it
23 tcp telnet|Telnet, unencrypted terminal
25 tcp smtp|mail between servers
43 tcp whois|WHOIS
49 tcp/udp tacacs|TACACS+ login
53 tcp/udp dns, domain|Domain Name System
67 udp dhcp, dhcp server, bootps, bootp|DHCP, server
68 udp dhcp client, bootpc|DHCP, client
69 udp tftp|Trivial File Transfer Protocol
70 tcp gopher|Gopher
79 tcp finger|Finger
80 tcp http, web|web pages, unencrypted
88 tcp/udp kerberos|Kerberos
110 tcp pop3, pop|fetching mail, unencrypted or STARTTLS
111 tcp/udp rpcbind, portmapper, sunrpc|port mapper of ONC RPC
113 tcp ident|Ident
119 tcp nntp, usenet|news
123 udp ntp|Network Time Protocol
135 tcp msrpc, rpc endpoint mapper|Microsoft RPC
137 udp netbios-ns, netbios name|NetBIOS names
138 udp netbios-dgm, netbios datagram|NetBIOS datagrams
139 tcp netbios-ssn, netbios, netbios session|NetBIOS sessions
143 tcp imap, imap4|reading mail, unencrypted or STARTTLS
161 udp snmp|network management
162 udp snmptrap, snmp trap|traps of network management
179 tcp bgp|Border Gateway Protocol
194 tcp irc|chat, as registered
389 tcp/udp ldap|directory, unencrypted or STARTTLS
427 tcp/udp slp|Service Location Protocol
443 tcp/udp https, tls, ssl, http/2, http/3, quic, wss, doh|web pages over TLS; HTTP/3 over UDP
445 tcp smb, cifs, samba, microsoft-ds|Windows file sharing
464 tcp/udp kpasswd|Kerberos passwords
465 tcp smtps, submissions, smtp over tls, smtp ssl|mail submission over TLS
500 udp ike, isakmp, ipsec|key exchange of IPsec
512 tcp rexec|remote execution
513 tcp rlogin|remote login
514 udp syslog|system logs
515 tcp lpd, lpr, printer|line printer
520 udp rip|Routing Information Protocol
546 udp dhcpv6 client|DHCPv6, client
547 udp dhcpv6, dhcpv6 server|DHCPv6, server
548 tcp afp|Apple file sharing
554 tcp/udp rtsp|control of streaming
587 tcp submission, smtp submission, smtp starttls, smtp|mail submission with STARTTLS
631 tcp/udp ipp, cups|Internet Printing Protocol
636 tcp ldaps, ldap over tls, ldap ssl|directory over TLS
646 tcp/udp ldp|Label Distribution Protocol
853 tcp/udp dot, dns over tls, doq|DNS over TLS or QUIC
860 tcp iscsi system|iSCSI, system port
873 tcp rsync|rsync daemon
902 tcp vmware, esxi|VMware ESXi
989 tcp ftps data|data of FTP over TLS
990 tcp ftps, ftp over tls|FTP over TLS, control
993 tcp imaps, imap over tls, imap ssl|reading mail over TLS
995 tcp pop3s, pop3 over tls, pop3 ssl|fetching mail over TLS
1080 tcp socks, socks5|SOCKS proxy
1194 udp openvpn|OpenVPN
1433 tcp mssql, sql server, ms-sql-s, microsoft sql server|Microsoft SQL Server
1434 udp ms-sql-m, sql server browser|Microsoft SQL Server, browser
1521 tcp oracle, oracle database, oracle db|Oracle Database
1701 udp l2tp|L2TP
1723 tcp pptp|PPTP
1812 udp radius|RADIUS, authentication
1813 udp radius accounting|RADIUS, accounting
1883 tcp mqtt, mosquitto|MQTT
1900 udp ssdp, upnp|finding of devices by UPnP
2049 tcp/udp nfs|Network File System
2181 tcp zookeeper|Apache ZooKeeper
2375 tcp docker|Docker, unencrypted
2376 tcp docker over tls, docker tls|Docker over TLS
2377 tcp docker swarm, swarm|Docker Swarm
2379 tcp etcd, etcd client|etcd, clients
2380 tcp etcd peer|etcd, peers
3000 tcp grafana, rails, node, react|Grafana; development servers of Rails and Node
3128 tcp squid|Squid proxy
3260 tcp iscsi|iSCSI
3268 tcp global catalog|Global Catalog of Active Directory
3306 tcp mysql, mariadb|MySQL and MariaDB
3389 tcp/udp rdp, remote desktop|Remote Desktop
3478 tcp/udp stun, turn|STUN and TURN
3690 tcp svn, subversion|Subversion
4222 tcp nats|NATS
4369 tcp epmd, erlang|Erlang port mapper
4500 udp ipsec nat-t, nat-t|IPsec through NAT
5000 tcp flask, docker registry|development server of Flask; Docker registry
5044 tcp logstash, beats|Logstash
5060 tcp/udp sip|telephony
5061 tcp sips, sip over tls|telephony over TLS
5173 tcp vite|development server of Vite
5201 tcp/udp iperf3, iperf|iPerf 3
5222 tcp xmpp, jabber|XMPP, clients
5269 tcp xmpp server|XMPP, servers
5353 udp mdns, bonjour|multicast DNS
5355 udp llmnr|local name resolution
5432 tcp postgres, postgresql, psql, pgsql|PostgreSQL
5601 tcp kibana|Kibana
5671 tcp amqps|AMQP over TLS
5672 tcp amqp, rabbitmq|AMQP, RabbitMQ
5900 tcp vnc, rfb|VNC
5984 tcp couchdb|CouchDB
5985 tcp winrm|Windows Remote Management
5986 tcp winrm https, winrms|Windows Remote Management over TLS
6379 tcp redis, valkey|Redis
6443 tcp kubernetes, k8s, kubernetes api|API of Kubernetes
6660 tcp irc alternative|chat, by custom 6660 to 6669
6667 tcp irc|chat, by custom
6697 tcp ircs, irc over tls|chat over TLS
6881 tcp/udp bittorrent, torrent|BitTorrent, by custom 6881 to 6889
7687 tcp neo4j bolt, bolt|Neo4j, Bolt
7474 tcp neo4j|Neo4j, HTTP
8000 tcp django, uvicorn|HTTP by custom: development servers, such as that of Django
8080 tcp http-alt, tomcat, http proxy, jenkins|HTTP by custom: proxies, Tomcat, Jenkins
8086 tcp influxdb|InfluxDB
8123 tcp clickhouse, home assistant|ClickHouse HTTP; Home Assistant
8200 tcp vault|HashiCorp Vault
8333 tcp bitcoin|Bitcoin
8443 tcp https-alt|HTTPS by custom
8500 tcp consul|Consul
8883 tcp mqtts, mqtt over tls, secure-mqtt|MQTT over TLS
8888 tcp jupyter|Jupyter
9000 tcp minio, php-fpm, sonarqube, portainer|MinIO, PHP-FPM, SonarQube
9042 tcp cassandra|Cassandra
9090 tcp prometheus|Prometheus
9092 tcp kafka|Apache Kafka
9100 tcp jetdirect, raw printing, node exporter|printers, raw; Node Exporter of Prometheus
9200 tcp elasticsearch, opensearch|Elasticsearch, HTTP
9300 tcp elasticsearch transport|Elasticsearch, between nodes
9418 tcp git|Git daemon
10050 tcp zabbix agent|Zabbix, agent
10051 tcp zabbix|Zabbix, server
11211 tcp/udp memcached, memcache|Memcached
11434 tcp ollama|Ollama
15672 tcp rabbitmq management|RabbitMQ, management
25565 tcp minecraft|Minecraft
27017 tcp mongodb, mongo|MongoDB
32400 tcp plex|Plex
33060 tcp mysqlx, mysql x|MySQL X Protocol
51820 udp wireguard|WireGuard
"""
_ENCRYPTED = {22, 443, 465, 636, 853, 989, 990, 993, 995, 1194, 2376, 5061, 5671, 5986, 6443, 6697, 8443, 8883, 51820}
"""Ports whose connections are encrypted from the beginning."""


class PortService(TypedDict):
    """A service and its port."""

    port: Annotated[int, About("Port number")]
    protocol: Annotated[str, About("tcp, udp or tcp/udp")]
    names: Annotated[list[str], About("Names of the service")]
    description: Annotated[str, About("Purpose of the service")]
    encrypted: Annotated[bool, About("Whether it is encrypted from the beginning")]


class PortAnswer(TypedDict):
    """Result of a query, and the range of the port."""

    query: Annotated[str, About("Name or number")]
    services: Annotated[list[PortService], About("Matches; empty for ports without a known use")]
    range: Annotated[str | None, About("Range of a port number: system, user or dynamic ports (RFC 6335)")]


class PortAnswers(TypedDict):
    """Services and their ports."""

    answers: Annotated[list[PortAnswer], About("One entry for each query")]


def _service(line: str) -> PortService:
    head, _, description = line.partition("|")
    port, protocol, names = head.split(" ", 2)
    return {
        "port": int(port),
        "protocol": protocol,
        "names": names.split(", "),
        "description": description,
        "encrypted": int(port) in _ENCRYPTED,
    }


_SERVICES = [_service(line) for line in _TABLE.strip().splitlines()]


@tool(
    tags="port number well-known default service tcp udp https ssh smtp postgres mysql rdp ftp dns protocol",
    use_when=(
        "What port does https use by default?",
        "Default port of PostgreSQL",
        "Which service runs on port 3389?",
        "What is port 22 for?",
        "Ports of ssh, smtp and imaps",
    ),
    examples=(
        Example(
            {"services": ["https", "5432"]},
            {
                "answers": [
                    {
                        "query": "https",
                        "services": [{"port": 443, "protocol": "tcp/udp", "encrypted": True}],
                        "range": None,
                    },
                    {"query": "5432", "services": [{"port": 5432}], "range": "user port"},
                ]
            },
            source="IANA, Service Name and Transport Protocol Port Number Registry",
        ),
        Example(
            {"services": ["port 3389"]},
            {"answers": [{"services": [{"port": 3389, "description": "Remote Desktop"}]}]},
            source="IANA, Service Name and Transport Protocol Port Number Registry",
        ),
        Refusal({"services": ["frobnicator"]}, "no known service"),
        Refusal({"services": ["70000"]}, "0 to 65535"),
    ),
    reply={
        "answers.1": "The ports: {answers}",
        "answers.0.services.1": "There are several: {answers.0.services}",
        "answers.0.range, answers.0.services": (
            "Port {answers.0.services.0.port} is the "
            "default of {answers.0.services.0.names.0} "
            "({answers.0.services.0.description})."
        ),
        "answers.0.services.0.names.0, answers.0.services.0.port, answers.0.services.0.protocol": (
            "The "
            "default "
            "port "
            "of "
            "{answers.0.services.0.names.0} "
            "is "
            "{answers.0.services.0.port} "
            "({answers.0.services.0.protocol})."
        ),
        "answers.0.range": "Port {answers.0.query} is a {answers.0.range}; no service is known for it.",
        "": "I know no such service.",
    },
)
def port_lookup_service(
    services: Annotated[
        list[Annotated[str, About("A service or a port number", min_length=1, max_length=60)]],
        About("Names of services or port numbers", ["https", "22"], min_items=1, max_items=100),
    ],
) -> PortAnswers:
    """Look up the default port of a service by its name, or the service of a port number.

    It contains about 140 ports of the internet, of databases and of developers. To check whether a host listens, use
    net_check_ports.
    """
    return {"answers": [_answer(query) for query in services]}


def _answer(query: str) -> PortAnswer:
    plain = re.sub(r"^(tcp|udp|port|default|the)[ /:]+|[ /](port|tcp|udp|server|service)$", "", query.strip().lower())
    if plain.isdecimal():
        port = int(plain)
        if port > 65535:
            raise ToolError(f"{port} is not a port. Ports are from 0 to 65535.")
        return {
            "query": query,
            "services": [one for one in _SERVICES if one["port"] == port],
            "range": _named_range(port),
        }
    found = [one for one in _SERVICES if plain in one["names"]]
    found = found or [one for one in _SERVICES if any(plain in name.split() for name in one["names"])]
    if not found:
        raise ToolError(f"There is no known service {query!r}. Give another name for it, or a port number.")
    return {"query": query, "services": found, "range": None}


def _named_range(port: int) -> str:
    if port < 1024:
        return "system port"
    return "user port" if port < 49152 else "dynamic port"
