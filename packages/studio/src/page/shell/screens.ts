import type { ReadonlySignal } from '@preact/signals'
import { computed } from '@preact/signals'
import type { ComponentType } from 'preact'
import { inbox, studio } from '../api/state.js'
import { ChatScreen } from '../chat/chat-screen.js'
import type { IconName } from '../parts/icons.js'
import { RunsPlace } from '../run/runs-place.js'
import { lazy } from './lazy.js'

/** An entry in the navigation. `path` is the first segment of the URLs of its screen. */
export interface Place {
  readonly path: string
  readonly title: string
  /** The key that opens the screen after the user has pressed `g`. */
  readonly key: string
  readonly icon: IconName
  /** A number to show next to the title, unless it is 0. */
  readonly count?: ReadonlySignal<number>
  readonly screen: ComponentType
}

/** The entries in the navigation, in order. All screens except Chat and Runs are loaded when they are first shown. */
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
