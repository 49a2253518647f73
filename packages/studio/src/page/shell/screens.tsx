import type { ReadonlySignal } from '@preact/signals'
import { computed } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { messageOf } from '../api/client.js'
import { inbox, studio } from '../api/state.js'
import { ChatScreen } from '../chat/chat-screen.js'
import type { IconName } from '../parts/icons.js'
import { RunScreen } from '../run/run-screen.js'

/** A place of the page: the first part of its addresses, and its screen. */
export interface Place {
  readonly path: string
  readonly title: string
  /** After `g`. */
  readonly key: string
  readonly icon: IconName
  /** Shown beside the title. */
  readonly count?: ReadonlySignal<number>
  readonly screen: ComponentType
}

/** The places of the page, as they are listed. A screen other than Chat and Run is loaded when it is opened. */
export const places: readonly Place[] = [
  { path: 'chat', title: 'Chat', key: 'c', icon: 'chat', screen: ChatScreen },
  {
    path: 'runs',
    title: 'Runs',
    key: 'r',
    icon: 'runs',
    count: computed(() => studio.value?.disk.runs ?? 0),
    screen: RunScreen,
  },
]

/** Counts of places that wait for the reader. */
export const waitingCount = computed(() => inbox.value.length)

/** Makes a component of a screen that is a chunk of its own. */
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
