export interface ServerAddresses {
  /** `host:port`, as the NATS client wants them. */
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  readonly tls?: Record<string, never>;
}

/**
 * Takes apart `nats://user:password@host:port` (or `token@`), several of them separated by commas or as a list. The
 * NATS client would drop the credentials. One set serves all servers of a cluster; `tls://` asks for encryption.
 */
export function parseServers(servers: string | readonly string[]): ServerAddresses {
  const list = typeof servers === 'string' ? servers.split(',') : servers;
  const urls = list.map((text) => new URL(text.includes('://') ? text.trim() : `nats://${text.trim()}`));
  const { username, password } = urls.find((url) => url.username) ?? { username: '', password: '' };
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || 4222}`),
    ...credentials(decodeURIComponent(username), decodeURIComponent(password)),
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
  };
}

function credentials(user: string, pass: string): Pick<ServerAddresses, 'user' | 'pass' | 'token'> {
  if (!user) return {};
  return pass ? { user, pass } : { token: user };
}
