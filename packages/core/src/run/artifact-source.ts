import { readArtifact } from '../tool/read-artifact.js'
import { type Message, textOf } from '../words/message.js'
import type { RunState } from '../words/state.js'
import type { RunPlan } from './walk.js'

/**
 * The untrusted source of an artifact's text: the tool that made it, or `read_artifact` where nothing tells what made
 * it. Undefined for text of a trusted tool, and for what the user attached.
 */
export async function untrustedSourceOf(
  id: unknown,
  { messages }: RunState,
  { artifacts, trustOf }: Pick<RunPlan, 'artifacts' | 'trustOf'>,
): Promise<string | undefined> {
  if (typeof id !== 'string') return readArtifact.name
  const known = await artifacts.stat(id).catch(() => undefined)
  const maker = known?.origin?.tool
  if (maker !== undefined) return trustOf(maker) === 'trusted' ? undefined : maker
  const isAttached = messages.some((message) => attachedIn(message).some((one) => one.id === id))
  return isAttached ? undefined : readArtifact.name
}

/** An artifact that the user attached. */
interface Attached {
  readonly id: string
  readonly isUntrusted: boolean
}

/** The artifacts that a message of the user names as attached. */
export function attachedIn({ role, content }: Message): readonly Attached[] {
  if (role !== 'user') return []
  const lines = textOf(content).split('\n')
  const references = lines.filter((line) => line.startsWith(attachedMark)).join(' ')
  return [...references.matchAll(reference)].map(([, id = '', mark]) => ({
    id,
    isUntrusted: mark !== undefined,
  }))
}

/** Begins the line of a message that names what is attached. */
export const attachedMark = 'Attached: '

/** Begins what that line says of an artifact whose text is untrusted. */
export const untrustedMark = 'untrusted, '

const reference = new RegExp(`(\\w+) \\((${untrustedMark})?`, 'g')
