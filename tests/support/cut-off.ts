/**
 * A Worker that dies around one of its calls. The numbers from 0 on try each place in turn: even ones die before a call, odd ones behind it.
 * @returns what each call goes through
 */
export function cutOff(cut: number): <T>(call: () => Promise<T>) => Promise<T> {
  let calls = 0;
  return async (call) => {
    calls++;
    if (calls > cut / 2 && cut % 2 === 0) throw new Error("the Worker died");
    const result = await call();
    if (calls > cut / 2) throw new Error("the Worker died");
    return result;
  };
}
