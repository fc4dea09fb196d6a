import pg from 'pg';

/** Said with the code of a server that takes no changes: whoever wanted something tries again later. */
class IsStandby extends Error {
  override readonly name = 'IsStandby';
  readonly code = '25006';

  constructor() {
    super(
      'This Postgres is a standby, which takes no changes. DATABASE_URL must lead to the primary server.',
    );
  }
}

/**
 * Connects to no standby, which a failover may leave at the address of the primary server, with a log that stands still:
 * a connection that was made there would stay there. A server before Postgres 14 does not say what it is.
 */
export class PrimaryClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const { connection } = this;
    connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName !== 'in_hot_standby' || parameterValue !== 'on') return;
      // Said in what came with this: it would be connected before it was ended.
      connection.removeAllListeners('readyForQuery');
      connection.stream.destroy(new IsStandby());
    });
  }
}
