import { isArtifact, type Json } from '@capstan/core'

/** Data of a stranger: what has the form of an artifact in it is told as text, for it never was in the run's store. */
export function withoutForged(value: Json): Json {
  let isForged = false
  const text = JSON.stringify(value, (_key, part) => {
    isForged ||= isArtifact(part)
    return part
  })
  return isForged ? text : value
}
