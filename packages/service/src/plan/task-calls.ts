import type { Course, PlannedCall } from './course.js'
import { artifactsOf } from './course.js'
import { fillArguments } from './fill-arguments.js'
import { artifactPrefixes } from './fill-artifact.js'
import { isAboutAttachment } from './reference.js'
import type { Scene } from './scene.js'
import { toScene } from './scene.js'
import type { Task } from './task.js'
import { toTopic } from './task-topic.js'

/** The calls a task takes, fed by what earlier tasks brought, or the parameters it has nothing for. */
export interface TaskCalls {
  readonly calls: readonly PlannedCall[]
  readonly missing: readonly string[]
}

/** Plans the calls of a task: one, or one for each of "Paris, Rome and New York". */
export function toCalls(task: Task, course: Course): TaskCalls {
  const { tool, reading } = task
  const scene = { ...toScene(tool, reading, artifactsAtHand(task, course)), topic: toTopic(task, course) }
  const filled = fillArguments(tool.slots, scene)
  if (filled.missing.length > 0) return { calls: [], missing: filled.missing.map(({ name }) => name) }
  const fan = filled.fan ?? toArtifactFan(scene, artifactsOf(task.source, course))
  const lists = fan
    ? fan.values.map((value) => ({ ...filled.arguments, [fan.name]: value }))
    : [filled.arguments]
  return { calls: lists.map((args) => ({ name: tool.name, arguments: args })), missing: [] }
}

// Oldest first; what the clause builds on is the newest, whatever else was made meanwhile.
function artifactsAtHand({ source, reading }: Task, course: Course): string[] {
  const { states, turn } = course
  const made = states.flatMap((_, index) => artifactsOf(index, course))
  const here = isAboutAttachment(reading) ? [...made, ...turn.attachments] : [...turn.attachments, ...made]
  return [...turn.earlier.artifacts, ...here, ...artifactsOf(source, course)]
}

// "Vary them": one call for each of several pictures.
function toArtifactFan({ tool, reading }: Scene, produced: readonly string[]) {
  const slot = tool.worksOn
  if (!slot || !/\b(?:them|each|both|all|these|those)\b/i.test(reading.masked)) return undefined
  const prefixes = artifactPrefixes(slot, tool)
  const values = produced.filter((id) => prefixes.some((prefix) => id.startsWith(prefix)))
  return values.length > 1 ? { name: slot.name, values } : undefined
}
