import type { AnsweredCall } from './answered-call.js'
import type { Course } from './course.js'
import { describeResult } from './describe-result.js'
import { isPronominal } from './reference.js'
import { toSubject } from './subject.js'
import type { Task } from './task.js'
import type { Topic } from './topic.js'
import { toConcepts } from './words.js'

/** What a task's clause means by "it", when it means words and no artifact: an earlier task, or the last request. */
export function toTopic(task: Task, course: Course): Topic | undefined {
  if (task.tool.worksOn) return undefined
  if (task.source !== undefined) return topicOf(task.source, course)
  const past = course.turn.earlier.calls.findLast(
    ({ failed, artifacts }) => !failed && artifacts.length === 0,
  )
  if (!past || !isPronominal(task.reading.masked)) return undefined
  const subject = toAsked(past)
  return { subject, known: toConcepts(`${subject} ${past.name}`), result: describeResult(past) }
}

// A picture of something is about that something: "draw it, and read a sentence about it aloud".
function topicOf(index: number, course: Course): Topic | undefined {
  const task = course.tasks[index]
  if (!task) return undefined
  if (task.tool.makes && task.source !== undefined) return topicOf(task.source, course)
  const calls = course.states[index]?.calls.filter(({ failed }) => !failed) ?? []
  const result = task.tool.makes ? '' : calls.map((call) => withLabel(call, calls.length > 1)).join('; ')
  // What a recording says or a picture shows stands for itself.
  const subject =
    task.tool.actions.has('interpret') && result !== '' ? '' : toSubject(task.clause.text, task.tool)
  const known = toConcepts(`${subject} ${task.tool.name}`)
  return { subject: isPronominal(subject) ? '' : subject, known, result }
}

// Of several results each says what it answers: "Oslo temperature -3; Rome temperature 15".
function withLabel(call: AnsweredCall, isOneOfMany: boolean): string {
  return isOneOfMany ? `${toAsked(call)} ${describeResult(call)}` : describeResult(call)
}

function toAsked({ arguments: args }: AnsweredCall): string {
  const scalars = Object.values(args).filter((value) => typeof value !== 'object')
  return scalars.join(' ')
}
