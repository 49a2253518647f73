import { testStuckDetection } from '../../test/features/stuck-detection.suite.js'
import { stuckDetection } from './stuck-detection.js'

testStuckDetection(stuckDetection)
