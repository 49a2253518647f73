import type { Course, PlannedCall } from './course.js'
import { artifactsOf } from './course.js'
import { fillArguments } from './fill-arguments.js'
import { artifactPrefixes } from './fill-artifact.js'
import type { Filled } from './filled.js'
import { isChange } from './follow-up.js'
import { isAboutAttachment, ordinalOf } from './reference.js'
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
  const filled = withEarlier(task, fillArguments(tool.slots, scene))
  if (filled.missing.length > 0) return { calls: [], missing: filled.missing.map(({ name }) => name) }
  const fan = filled.fan ?? toArtifactFan(scene, artifactsOf(task.source, course))
  const lists = fan
    ? fan.values.map((value) => ({ ...filled.arguments, [fan.name]: value }))
    : [filled.arguments]
  return { calls: lists.map((args) => ({ name: tool.name, arguments: args })), missing: [] }
}

// A follow-up changes what it speaks of and keeps the rest: "and in Rome?"
function withEarlier({ base, tool }: Task, filled: Filled): Filled {
  if (!base) return filled
  const changes = Object.entries(filled.arguments).filter(([name]) => isChange(name, tool, filled))
  const args = { ...base, ...Object.fromEntries(changes) }
  const ordered = tool.slots.flatMap(({ name }) =>
    Object.hasOwn(args, name) ? [[name, args[name]] as const] : [],
  )
  const fan = filled.fan && isChange(filled.fan.name, tool, filled) ? filled.fan : undefined
  return { ...filled, arguments: Object.fromEntries(ordered), missing: [], fan }
}

// Oldest first; what the clause builds on is the newest, whatever else was made meanwhile.
function artifactsAtHand({ source, reading }: Task, course: Course): string[] {
  const { states, turn } = course
  const made = states.flatMap((_, index) => artifactsOf(index, course))
  const here = isAboutAttachment(reading) ? [...made, ...turn.attachments] : [...turn.attachments, ...made]
  const produced = artifactsOf(source, course)
  const all = [...turn.earlier.artifacts, ...here, ...produced]
  const ordinal = ordinalOf(reading.masked)
  if (ordinal === undefined) return all
  const lots = [produced, made, turn.attachments, turn.earlier.lot]
  const meant = lots.find(({ length }) => length > 1)?.at(ordinal)
  return meant === undefined ? all : [...all, meant]
}

// "Vary them": one call for each of several pictures.
function toArtifactFan({ tool, reading }: Scene, produced: readonly string[]) {
  const slot = tool.worksOn
  if (!slot || !/\b(?:them|each|both|all|these|those)\b/i.test(reading.masked)) return undefined
  const prefixes = artifactPrefixes(slot, tool)
  const values = produced.filter((id) => prefixes.some((prefix) => id.startsWith(prefix)))
  return values.length > 1 ? { name: slot.name, values } : undefined
}
