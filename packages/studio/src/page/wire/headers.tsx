import { Pairs } from '../parts/pairs.js'

/** Headers of a request or an answer. Secrets stand as [redacted]. */
export function Headers({ headers }: { readonly headers: Readonly<Record<string, string>> | undefined }) {
  if (!headers) return <p class="soft">None came.</p>
  return (
    <div class="mono">
      <Pairs pairs={Object.entries(headers)} />
    </div>
  )
}
