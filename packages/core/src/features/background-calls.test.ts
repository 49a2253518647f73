import { testBackgroundCalls } from '../../test/features/background-calls.suite.js'
import { backgroundCalls } from './background-calls.js'

testBackgroundCalls(backgroundCalls)
