/** A server under test. */
export interface CheckedServer {
  /** With `/v1` at its end. */
  readonly url: string
  /** Absent: the server takes no key. */
  readonly key?: string | undefined
  readonly model: string
}

/** One thing a client may rely on. `run` throws what `demand` or `skip` throw. */
export interface ServerCheck {
  readonly id: string
  readonly title: string
  run(server: CheckedServer): Promise<void>
}

export type Finding = { readonly check: ServerCheck } & (
  | { readonly kind: 'ok' }
  | { readonly kind: 'failed'; readonly seen: string }
  | { readonly kind: 'skipped'; readonly why: string }
)

/** Thrown by a check that found something wrong; the message is what it saw. */
export class CheckFailed extends Error {}

/** Thrown by a check that this server, or this answer, gives no occasion for. */
export class CheckSkipped extends Error {}

/** @throws CheckFailed with what was seen, unless `isMet` */
export function demand(isMet: boolean, seen: string): asserts isMet {
  if (!isMet) throw new CheckFailed(seen)
}

/** @throws CheckSkipped */
export function skip(why: string): never {
  throw new CheckSkipped(why)
}
