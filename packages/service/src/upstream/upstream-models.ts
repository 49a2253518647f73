import { isRecord } from '../record.js'
import { askUpstream } from './ask-upstream.js'
import type { Upstream } from './upstream.js'

const patience = 5000

/** The models of the other server as it lists them; none when it does not answer within 5 s. */
export async function listUpstreamModels(
  upstream: Upstream,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const late = AbortSignal.timeout(patience)
  try {
    const response = await askUpstream(upstream, '/models', { signal: AbortSignal.any([signal, late]) })
    const list: unknown = await response.json()
    if (!response.ok || !isRecord(list) || !Array.isArray(list.data)) return []
    return list.data.filter((entry) => isRecord(entry) && typeof entry.id === 'string')
  } catch {
    return []
  }
}
