import { namesSecret, redacted } from '../secrets/secret-names.js'
import type { Secrets } from '../secrets/secrets.js'
import type { ExchangeTap, ModelReply, WireRequest, WireTap } from '../types/model.js'
import { withoutSecrets } from './redact-errors.js'
import type { Transport } from './transport.js'

interface TapOptions {
  readonly tap: WireTap
  readonly secrets: Secrets
  readonly signal: AbortSignal
}

/** Tells a tap about one request, which `send` makes over the given transport. Errors of the tap are ignored. */
export async function withTap(
  { url, headers, body }: WireRequest,
  { tap, secrets, signal }: TapOptions,
  { transport, send }: { readonly transport: Transport; send(transport: Transport): Promise<ModelReply> },
): Promise<ModelReply> {
  let to: ExchangeTap | undefined
  const withoutValues = (list: readonly string[]) => hideHeaders(list, secrets)
  quietly(() => {
    to = tap.sent({ url: secrets.hide(url), headers: withoutValues(Object.entries(headers).flat()), body })
  })
  const tapped: Transport = async (request) => {
    const response = await transport(request)
    quietly(() => to?.headers(response.status, withoutValues(response.headers())))
    const read: typeof response.read = (take) =>
      response.read((bytes) => {
        quietly(() => to?.received(bytes))
        return take(bytes)
      })
    return { ...response, read }
  }
  try {
    const reply = await withoutSecrets(secrets, () => send(tapped), signal)
    quietly(() => to?.ended({ reply }))
    return reply
  } catch (error) {
    quietly(() => to?.ended({ error }))
    throw error
  }
}

function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // A tap only watches: its failure is not one of the run.
  }
}

/** Returns headers, given as names and values in turn, by lower-case name and without secrets. */
function hideHeaders(list: readonly string[], secrets: Secrets): Readonly<Record<string, string>> {
  const shown = new Map<string, string>()
  for (let at = 0; at < list.length; at += 2) {
    const name = (list[at] ?? '').toLowerCase()
    const value = namesSecret(name) ? redacted : secrets.hide(list[at + 1] ?? '')
    const before = shown.get(name)
    shown.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(shown)
}
