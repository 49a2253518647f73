import type { ReadonlySignal } from '@preact/signals'
import { computed } from '@preact/signals'
import type { ComponentType } from 'preact'
import { inbox, studio } from '../api/state.js'
import { ChatScreen } from '../chat/chat-screen.js'
import type { IconName } from '../parts/icons.js'
import { RunsPlace } from '../run/runs-place.js'
import { lazy } from './lazy.js'

/** An entry of the navigation: the first part of its URLs, and its screen. */
export interface Place {
  readonly path: string
  readonly title: string
  /** The key to press after `g`. */
  readonly key: string
  readonly icon: IconName
  /** A number shown next to the title. */
  readonly count?: ReadonlySignal<number>
  readonly screen: ComponentType
}

/** The entries of the navigation, in order. Screens other than Chat and Run are `lazy`. */
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
  {
    path: 'tools',
    title: 'Tools',
    key: 't',
    icon: 'tools',
    screen: lazy(async () => (await import('../tools/tools-screen.js')).ToolsScreen),
  },
  {
    path: 'artifacts',
    title: 'Artifacts',
    key: 'a',
    icon: 'artifacts',
    screen: lazy(async () => (await import('../artifacts/artifacts-screen.js')).ArtifactsScreen),
  },
  {
    path: 'inbox',
    title: 'Inbox',
    key: 'i',
    icon: 'inbox',
    count: computed(() => inbox.value.length),
    screen: lazy(async () => (await import('../agent/inbox-screen.js')).InboxScreen),
  },
  {
    path: 'agent',
    title: 'Agent',
    key: 'e',
    icon: 'agent',
    screen: lazy(async () => (await import('../agent/agent-screen.js')).AgentScreen),
  },
]
