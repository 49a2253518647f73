export interface PostgresServer {
  readonly url: string
  /** Ends it as a crash does. */
  halt(): void
  /** Starts it again. */
  start(): void
  /** Ends it for good. */
  stop(): void
}

export function startPostgres(): Promise<PostgresServer | undefined>
