"""What holds whatever a robot is asked to do: the separation filter, the fence, the speed cap."""
