/** What another server can answer in place of this one. */
export const upstreamEndpoints = ['chat', 'images', 'speech', 'transcription', 'translation'] as const

export type UpstreamEndpoint = (typeof upstreamEndpoints)[number]

/** Another server of the same interface. */
export interface Upstream {
  /** Its address with the version, such as `https://models.example/v1`. */
  readonly url: string
  /** Its key. Default: none is sent; the key of this service is never sent there. */
  readonly apiKey?: string | undefined
  /** What it answers. Default: `['chat']`; the rest stays here. */
  readonly endpoints?: readonly UpstreamEndpoint[] | undefined
}

/** Checks what was given as another server. @throws TypeError naming what is wrong */
export function checkUpstream({ url, apiKey, endpoints = ['chat'] }: Upstream): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.username || parsed.password || parsed.search) {
    throw new TypeError(
      'upstream.url must be an address such as https://models.example/v1, without a key or a query in it.',
    )
  }
  if (apiKey !== undefined && !/^[\x21-\x7e]{4,}$/.test(apiKey)) {
    throw new TypeError('upstream.apiKey must be at least four visible ASCII characters, and no spaces.')
  }
  const unknown = endpoints.find((name) => !upstreamEndpoints.includes(name))
  if (unknown === undefined && endpoints.length > 0) return
  const list = upstreamEndpoints.join(', ')
  throw new TypeError(`upstream.endpoints must be some of ${list}${unknown ? `, not "${unknown}"` : ''}.`)
}

/** Whether an endpoint is answered there. */
export function isUpstream(upstream: Upstream | undefined, endpoint: UpstreamEndpoint): boolean {
  return upstream !== undefined && (upstream.endpoints ?? ['chat']).includes(endpoint)
}
