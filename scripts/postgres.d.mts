export interface PostgresServer {
  readonly url: string
  /** As after a crash of the server. */
  restart(): void
  stop(): void
}

export function startPostgres(): Promise<PostgresServer | undefined>
