import { useEffect, useState } from 'preact/hooks'
import { api, messageOf } from '../api/client.js'

/** Bytes that are being loaded: absent until then, or the reason why they could not be loaded. */
export type Loaded = { readonly bytes?: Uint8Array; readonly error?: string }

/** Loads one side of an exchange. */
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
