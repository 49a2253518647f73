import { Pairs } from '../parts/pairs.js'

/** The headers of a request or response. Secrets are shown as [redacted]. */
export function Headers({ headers }: { readonly headers: Readonly<Record<string, string>> | undefined }) {
  if (!headers) return <p class="soft">None came.</p>
  return (
    <div class="mono">
      <Pairs pairs={Object.entries(headers)} />
    </div>
  )
}
