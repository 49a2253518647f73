import { test } from 'vitest'
import { isLong } from './cases.mjs'

const left = () => {}
const eachLeft = { each: () => left, for: () => left }

/** A test that runs with CAPSTAN_LONG=1 only (`.ci/long`): it takes seconds, and a shorter one shows most breaks. */
export const slowTest = isLong ? test : Object.assign(left, { ...eachLeft, concurrent: eachLeft })
