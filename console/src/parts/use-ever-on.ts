import { useState } from 'react';

/** Whether something was ever on. A dialog that is loaded late stays, so that it gives the focus back when it closes. */
export const useEverOn = (isOn: boolean): boolean => {
  const [was, setWas] = useState(isOn);
  if (isOn && !was) setWas(true);
  return was || isOn;
};
