"""Where the robots are, from a camera over the floor or from measured poses.

``floor.Floor`` maps pixels to metres, ``aruco`` and ``spots`` find the robots in an image, ``filter.Filter`` makes poses and velocities
of what they find, and ``track.Tracking`` is all of it together::

    tracking = Tracking(tracker, robots=3)            # tracker: swarm_control.scenario.hardware.Tracker
    sighting, accepted = tracking.see(image, time)    # image (H, W, 3) uint8 RGB, or (H, W) grey for ArUco; time in s
    pose, velocity = tracking.filter.at(time)         # (N, 3) in the world frame; NaN: not seen for tracker.stale seconds

``render.Scene`` draws what such a camera sees, for tests and measurements.
"""
