import { useEffect, useState } from 'preact/hooks'
import { api, messageOf } from '../api/client.js'

/** The loaded bytes, or `error` if loading failed. Both are absent while the bytes are loading. */
export type Loaded = { readonly bytes?: Uint8Array; readonly error?: string }

/** Loads an exchange's request or response. Does nothing until `isThere` is true. */
export function useBytes(
  run: string,
  number: number | undefined,
  side: 'request' | 'response',
  isThere: boolean,
): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({})
  useEffect(() => {
    if (!isThere || number === undefined) return
    let isCurrent = true
    api.bytes(run, number, side).then(
      (bytes) => isCurrent && setLoaded({ bytes }),
      (error) => isCurrent && setLoaded({ error: messageOf(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [run, number, side, isThere])
  return loaded
}
