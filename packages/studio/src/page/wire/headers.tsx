import { Pairs } from '../parts/pairs.js'

/** Shows the headers of a request or response. The recorder has replaced secrets in them with `[redacted]`. */
export function Headers({ headers }: { readonly headers: Readonly<Record<string, string>> | undefined }) {
  if (!headers) return <p class="soft">No headers were received.</p>
  return (
    <div class="mono">
      <Pairs pairs={Object.entries(headers)} />
    </div>
  )
}
