/** Check digits of cards and national numbers. Each takes digits without separators. */

export const digitsOf = (text: string): number[] => Array.from(text.replace(/\D/g, ""), Number);

/** Sum of digits times weights, place by place. */
export function weighted(digits: readonly number[], weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * (digits[index] ?? 0), 0);
}

/** Luhn's check (ISO/IEC 7812-1, annex B). */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length > 0 && sum % 10 === 0;
}

/** ISO 7064, MOD 11,10. */
export function passesMod11_10(digits: readonly number[]): boolean {
  let product = 10;
  for (const digit of digits.slice(0, -1)) {
    const sum = (digit + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === digits.at(-1);
}

/** ISO 7064, MOD 11-2, whose check character may be X. */
export function passesMod11_2(text: string): boolean {
  let rest = 0;
  for (const character of text.slice(0, -1)) rest = ((rest + Number(character)) * 2) % 11;
  const check = (12 - rest) % 11;
  return (check === 10 ? "X" : String(check)) === text.at(-1)?.toUpperCase();
}

/** Verhoeff's check: multiplication in the dihedral group of order ten, with his permutation. */
export function passesVerhoeff(digits: readonly number[]): boolean {
  let check = 0;
  for (const [place, digit] of [...digits].reverse().entries()) check = dihedral(check, permuted(digit, place % 8));
  return check === 0;
}

const verhoeffPermutation = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

function permuted(digit: number, times: number): number {
  let result = digit;
  for (let round = 0; round < times; round++) result = verhoeffPermutation[result] ?? 0;
  return result;
}

function dihedral(left: number, right: number): number {
  const rotation = left < 5 ? left + right : left - right;
  const isFlipped = left < 5 !== right < 5;
  return ((((rotation % 5) + 5) % 5) + (isFlipped ? 5 : 0)) % 10;
}

/** Whether two numbers can be a month and a day. */
export const isMonthAndDay = (month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= 31;
