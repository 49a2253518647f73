import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { messageOf } from '../api/client.js'

/**
 * Returns a component that loads a screen when it is first shown. While the screen is loading, and after an error,
 * shows a message.
 */
export function lazy(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | undefined
  return function Lazy() {
    const [screen, setScreen] = useState<{ Screen?: ComponentType | undefined; error?: string }>({
      Screen: loaded,
    })
    useEffect(() => {
      if (loaded) return
      load().then(
        (Screen) => {
          loaded = Screen
          setScreen({ Screen })
        },
        (error) => setScreen({ error: messageOf(error) }),
      )
    }, [])
    if (screen.error) return <p class="empty">This part could not be loaded: {screen.error}</p>
    return screen.Screen ? <screen.Screen /> : <p class="empty">Loading …</p>
  }
}
