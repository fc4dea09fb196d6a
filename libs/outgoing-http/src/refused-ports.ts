/**
 * Ports behind which infrastructure listens that does not speak HTTP, or speaks it without asking who is there. A line
 * of HTTP is a command to some of them.
 */
const infrastructure: readonly (readonly [name: string, ...ports: readonly number[]])[] = [
  ['echo, discard, daytime, chargen', 7, 9, 13, 19],
  ['ftp', 20, 21],
  ['ssh', 22],
  ['telnet', 23],
  ['smtp', 25, 465, 587, 2525],
  ['dns', 53],
  ['tftp', 69],
  ['finger', 79],
  ['pop3, imap', 110, 143, 993, 995],
  ['portmapper, nfs', 111, 2049],
  ['nntp, ntp', 119, 123],
  ['windows networking', 135, 137, 138, 139, 445, 5985, 5986],
  ['snmp', 161, 162],
  ['ldap, kerberos', 88, 389, 464, 636, 749],
  ['remote shells, printing', 512, 513, 514, 515, 631, 9100],
  ['rsync', 873],
  ['sql server, oracle, mysql, postgres', 1433, 1434, 1521, 3306, 5432, 6432, 33060],
  ['mqtt, amqp, stomp', 1883, 5671, 5672, 15672, 61613, 61616],
  ['docker, kubernetes', 2375, 2376, 6443, 10250, 10255, 10256],
  ['zookeeper, etcd, consul', 2181, 2379, 2380, 8300, 8500, 8600],
  ['squid', 3128],
  ['remote desktop, vnc', 3389, 5900, 5901],
  ['nats', 4222, 6222, 8222],
  ['sip', 5060, 5061],
  ['redis, memcached', 6379, 6380, 11211, 26379],
  ['x11, irc', 6000, 6667, 6697],
  ['cassandra, kafka', 7000, 9042, 9092],
  ['elasticsearch', 9200, 9300],
  ['couchdb, mongodb', 5984, 27017, 27018, 27019],
];

const refused: ReadonlySet<number> = new Set(
  infrastructure.flatMap(([, ...ports]) => ports as readonly number[]),
);

/** `port` as URL writes it: empty for the scheme's own. */
export const isRefusedPort = (port: string): boolean => port !== '' && refused.has(Number(port));
