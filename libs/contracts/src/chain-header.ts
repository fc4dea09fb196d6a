/** On what runs of automations request over HTTP: how deep the run is, for what the request leads to may start another one. */
export const chainHeader = 'x-parley-chain-depth';

/** How deep the run is that makes a request with this header; undefined for requests of others. */
export const chainDepthIn = (header: unknown): number | undefined =>
  typeof header === 'string' && /^\d{1,3}$/.test(header) ? Number(header) : undefined;
