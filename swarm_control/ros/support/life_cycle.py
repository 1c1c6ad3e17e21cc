"""The life cycle of the nodes between odometry and commands, as ROS 2 has it for managed nodes: unconfigured, inactive, active, finalized.

Such a node configures itself when it is started, and then activates itself; with the parameter ``autostart`` false it waits until
somebody else does, as ``ros2 lifecycle set`` or a lifecycle manager. One that is not active publishes nothing of its work, so that robots
stand: whoever needs what it says has waited for too long. It hears everything meanwhile, and answers: who stops the swarm is obeyed in
every state.
"""

from typing import Any

from rclpy.lifecycle import LifecycleNodeMixin, LifecycleState, TransitionCallbackReturn

from swarm_control.ros.graph.kinds import KINDS
from swarm_control.ros.graph.spec import HOSTED

SUCCESS = TransitionCallbackReturn.SUCCESS


class LifeCycle(LifecycleNodeMixin):
    """What a node is that may have a life cycle; ``active``: whether it is to do its work, as nodes without one always are."""

    active = True

    def begin_life(self: Any) -> None:
        """Be unconfigured, if the node is one of those that are managed.

        Services by which others change that are there where one node serves all robots, or where the node waits for others: ten endpoints
        more for each node of each robot would be felt.
        """
        if self.kind in KINDS and KINDS[self.kind].managed:
            self._starts = bool(self.option("autostart", True, "whether it goes to work by itself, or waits for a lifecycle manager"))
            self.active = self._starts
            LifecycleNodeMixin.__init__(self, enable_communication_interface=self.space == HOSTED or not self._starts)

    def go_to_work(self: Any) -> None:
        """All is there that the node needs: be inactive, or active if that is for the node to decide."""
        if self.kind in KINDS and KINDS[self.kind].managed:
            self.trigger_configure()
            if self._starts:
                self.trigger_activate()
            else:
                self.get_logger().info("waits to be activated")

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Do the node's work from now on."""
        self.active = True
        return SUCCESS

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Do it no more."""
        self.active = False
        return SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Never do it again."""
        self.active = False
        return SUCCESS

