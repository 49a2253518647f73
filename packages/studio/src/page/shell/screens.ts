import type { ReadonlySignal } from '@preact/signals'
import { computed } from '@preact/signals'
import type { ComponentType } from 'preact'
import { inbox, studio } from '../api/state.js'
import { ChatScreen } from '../chat/chat-screen.js'
import type { IconName } from '../parts/icons.js'
import { RunsPlace } from '../run/runs-place.js'

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

/** The places of the page, as they are listed. A screen other than Chat and Run is `lazy`. */
export const places: readonly Place[] = [
  { path: 'chat', title: 'Chat', key: 'c', icon: 'chat', screen: ChatScreen },
  {
    path: 'runs',
    title: 'Runs',
    key: 'r',
    icon: 'runs',
    count: computed(() => studio.value?.disk.runs ?? 0),
    screen: RunsPlace,
  },
]

/** Counts of places that wait for the reader. */
export const waitingCount = computed(() => inbox.value.length)
