/** What columns of rows hold, D1's and the objects' alike: one schema for each kind, which every row's schema takes. */
import { z } from "zod";

export const text = z.string();
export const integer = z.int();
export const number = z.number();
export const textOrNull = text.nullable();
export const integerOrNull = integer.nullable();
export const numberOrNull = number.nullable();
