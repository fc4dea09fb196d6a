/** Who asks: the account and the key that a request came with. */
export interface Caller {
  readonly accountId: number;
  readonly apiKeyId: string;
}
