import type { Secrets } from '../secrets/secrets.js'
import { learnProxies } from './proxy-secrets.js'

/** Takes what an `openai` client of any major sends with each request, as far as its fields tell. */
export function learnClient(client: object, secrets: Secrets): void {
  const { baseURL, _options: options, ...fields } = client as Record<string, unknown>
  const isAddress = typeof baseURL === 'string' && URL.canParse(baseURL)
  if (isAddress) secrets.learnAddress(baseURL)
  else secrets.add(baseURL)
  for (const name of ['apiKey', 'adminAPIKey', 'organization', 'project']) secrets.add(fields[name])
  const { apiKey, defaultHeaders, defaultQuery, fetchOptions } = Object(options) as Record<string, unknown>
  secrets.add(apiKey)
  for (const value of Object.values(Object(defaultQuery))) secrets.add(value)
  learnHeaders(defaultHeaders, secrets)
  const { dispatcher, headers } = Object(fetchOptions) as Record<string, unknown>
  learnHeaders(headers, secrets)
  learnProxies(dispatcher, secrets)
}

/** In whichever form: a client keeps them in one of its own, with a `Headers` among its fields. */
function learnHeaders(given: unknown, secrets: Secrets): void {
  const { values } = Object(given) as { values?: unknown }
  const headers: unknown = values instanceof Headers ? values : given
  if (headers instanceof Headers) secrets.learn('', headers)
  else if (Array.isArray(headers)) secrets.learn('', headers)
  else
    secrets.learn(
      '',
      Object.entries(Object(headers)).map(([name, value]): [string, string] => [name, [value].flat().join()]),
    )
}
