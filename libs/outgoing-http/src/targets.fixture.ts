/** What no request may ever reach, as URLs. `PORT` stands for the port of a listener that must never be connected to. */
const v4 = [
  ['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.254', '127.0.0.1'],
  ['127.255.255.254', '169.254.0.1', '169.254.169.254', '169.254.170.2', '172.16.0.1', '172.31.255.255'],
  ['192.0.0.1', '192.0.0.170', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1', '192.168.0.1'],
  ['192.168.255.255', '192.175.48.1', '198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.9'],
  ['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.254', '255.255.255.255'],
].flat();

/** Other ways to write 127.0.0.1, 169.254.169.254 and 10.0.0.1, which URL understands. */
const otherSpellings = [
  ['127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0x7F.0.0.1', '0177.0.0.1', '0177.1'],
  ['017700000001', '0x7f.0x0.0x0.0x1', '127.0.0.1.', '0', '0x0', '00000000'],
  ['１２７.0.0.1', '１２７．０．０．１', '①②⑦.⓪.⓪.①', '127。0。0。1', '127%2e0%2e0%2e1', '%31%32%37.0.0.1'],
  ['2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '0xa9.254.0xa9fe', '167772161'],
].flat();

const v6 = [
  ['::', '::1', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:0000:0000:0001', '::0001'],
  ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254', '::ffff:93.184.215.14'],
  ['::127.0.0.1', '::7f00:1', '::10.0.0.1', '::ffff:0:127.0.0.1', '::ffff:0:7f00:1'],
  ['64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1', '64:ff9b:1:fffe::7f00:1'],
  ['100::1', '2001::1', '2001:0:7f00:1::', '2001:2::1', '2001:3::1', '2001:10::1', '2001:20::1'],
  ['2001:db8::1', '2001:db8:ffff::1', '2002:7f00:1::', '2002:a00:1::1', '2002:a9fe:a9fe::', '3fff::1'],
  ['4000::1', '5f00::1', 'fc00::1', 'fd00:ec2::254', 'fdff::1', 'fe80::1', 'fe80::a9fe:a9fe', 'febf::1'],
  ['fec0::1', 'ff02::1', 'ff05::2', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
].flat();

const localNames = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'a.b.localhost.',
  'ｌｏｃａｌｈｏｓｔ',
];

const credentials = ['u@', 'u:p@', ':p@', 'example.com:80@', 'example.com%2f@', 'http%3a%2f%2f@'];

const schemes = ['ftp', 'file', 'gopher', 'data', 'javascript', 'ws', 'wss', 'dict', 'ldap', 'unix', 'blob'];

const ports = [
  [7, 19, 20, 21, 22, 23, 25, 53, 69, 110, 111, 135, 139, 143, 161, 389, 445, 465, 514, 587, 636, 873, 993],
  [1433, 1521, 2049, 2181, 2375, 2379, 3128, 3306, 3389, 4222, 5060, 5432, 5672, 5900, 6222, 6379, 6443],
  [8222, 8500, 9042, 9092, 9200, 9300, 10250, 11211, 27017],
].flat();

const notUrls = [
  '',
  ' ',
  'http://',
  'https://',
  'http://[::1',
  'http://[::1%25eth0]/',
  '//127.0.0.1/',
  'example.com',
];

const malformed = [
  'http://exa mple.com/',
  'http://example.com/\r\nX-Injected: 1',
  'http://example.com/\n',
  '\thttp://example.com/',
  'http://example.com/\u0000',
  'http://exa\nmple.com/',
  'http://127.0.0.1\t:PORT/',
  'http://example.com:99999/',
  'http://256.256.256.256/',
  'http://1.2.3.4.5/',
  'https://*.example.com/x',
  'https://{{host}}/x',
  'https://example..com/',
  'https://.example.com/',
  'https://example,com/',
  `https://${'a'.repeat(64)}.com/`,
  `https://${'a.'.repeat(127)}com/`,
];

export const refusedTargets: readonly string[] = [
  ...[...v4, ...otherSpellings, ...localNames].flatMap((host) => [`http://${host}:PORT/`]),
  ...v6.map((host) => `http://[${host}]:PORT/`),
  ...['127.0.0.1', '[::1]', 'localhost', '0x7f.1'].map((host) => `https://${host}:PORT/`),
  ...credentials.map((user) => `http://${user}127.0.0.1:PORT/`),
  ...credentials.map((user) => `https://${user}example.com/`),
  ...schemes.map((scheme) => `${scheme}://127.0.0.1:PORT/`),
  ...ports.map((port) => `http://example.com:${port}/`),
  ...['http:127.0.0.1:PORT', 'http:/127.0.0.1:PORT/', 'http:\\\\127.0.0.1:PORT\\', 'http:///127.0.0.1:PORT/'],
  ...notUrls,
  ...malformed,
];

export const acceptedTargets: readonly string[] = [
  'https://example.com/hooks?a=1&b=%20#part',
  'http://example.com',
  'https://example.com:8443/x',
  'https://example.com:443/',
  'http://93.184.215.14/',
  'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/',
  'https://bücher.example/',
  'https://例え.jp/日本語',
  'https://example.com/🏢?q=🏢',
  'https://example.com./',
  'https://localhost.example.com/',
  'https://mylocalhost/',
  'https://my_service-2.example.com/',
  `https://${'a'.repeat(63)}.com/`,
  `https://${'a.'.repeat(125)}com/`,
];
